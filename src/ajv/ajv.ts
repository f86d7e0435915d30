// The compiler of JSON Schemas, and its formats. The package ships them bundled here: apart they are a hundred files, which take longer to find than to run.
export { Ajv2020 } from "ajv/dist/2020.js";
export { default as addFormats } from "ajv-formats";
