import { precompileValidators } from "../../src/engine/schema.js";
import { writeSuiteDigest } from "../../src/suite/digest.js";
import { readScenariosAhead } from "../../src/suite/suite.js";
import { writeDocsTexts } from "../meta/docs-texts.js";
import { writeApiPage } from "./api-page.js";
import { bundle } from "./bundle.js";
import { writeControlResults } from "./control-results.js";
import { writeDeclarations } from "./declarations.js";
import { writeEntryPoints } from "./entry-points.js";
import { writeManPage } from "./man-page.js";
import { sweepCompiled } from "./sweep.js";

// The files of the package beside the compiled sources: `npm run build` makes them after compiling.
sweepCompiled();
await bundle();
writeDeclarations();
writeApiPage();
writeEntryPoints();
precompileValidators();
writeSuiteDigest();
readScenariosAhead();
await writeDocsTexts();
await writeControlResults();
writeManPage();
