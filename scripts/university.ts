/** `npm run university <part>`: moves a university to another deployment, or removes it. */
import { runPart } from "./command-line.ts";

const usage = `npm run university <export|import|remove> -- [flags]

export  writes an inactive university with its people into a folder
import  adds an exported university to this deployment
remove  removes an inactive university from this deployment

npm run university <part> -- --help lists the flags of a part.`;

await runPart(usage, {
  export: () => import("./university/export.ts"),
  import: () => import("./university/import.ts"),
  remove: () => import("./university/remove.ts"),
});
