#!/usr/bin/env node
// Old versions of Node read this file too, so it imports nothing before the check and uses no syntax newer than Node 12.
const minNodeVersion = [20, 19];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > minNodeVersion[0]! || (major === minNodeVersion[0] && minor >= minNodeVersion[1]!)) void import("./start.js");
else {
  console.error(`counterpart: This is Node ${process.versions.node}. Use Node ${minNodeVersion.join(".")} or later.`);
  process.exitCode = 2;
}

export {};
