// What `node scripts/dev.ts` runs: where no such file is, Node looks for one with `.js` behind it. A Node that is too old
// to read TypeScript thus says what it takes, rather than that it does not know the ending of a file.
import "./require-node-24.mjs";

await import("./local/dev.ts");
