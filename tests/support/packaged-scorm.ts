import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { packageOf } from "./scorm.ts";

/** A wrapper that many SCOs use to find and call the standard's API; based on the one by pipwerks. */
const wrapper = createRequire(import.meta.url).resolve("@gamestdio/scorm");

/** Element names of both versions. */
const elements = {
  "1.2": {
    bookmark: "cmi.core.lesson_location",
    score: [["cmi.core.score.raw", "85"]],
    status: [["cmi.core.lesson_status", "completed"]],
  },
  "2004": {
    bookmark: "cmi.location",
    score: [["cmi.score.scaled", "0.85"]],
    status: [["cmi.completion_status", "completed"]],
  },
};

/** A page with a bookmark, a score and a completion. */
const page = (version: keyof typeof elements): string => `<!doctype html>
<html lang="en"><title>Waves</title>
<script>var exports = {};</script>
<script src="wrapper.js"></script>
<p id="bookmark"></p>
<button type="button" onclick="turn()">Next page</button>
<button type="button" onclick="finish()">Finish with 85</button>
<script>
  const { scorm } = exports;
  scorm.configure({ version: ${JSON.stringify(version)} });
  scorm.initialize();
  const show = () => {
    document.getElementById("bookmark").textContent = "Bookmark: " + (scorm.get("${elements[version].bookmark}") || "none");
  };
  const turn = () => { scorm.set("${elements[version].bookmark}", "page 2"); scorm.commit(); show(); };
  const finish = () => {
    for (const [name, value] of ${JSON.stringify([...elements[version].score, ...elements[version].status])}) scorm.set(name, value);
    scorm.commit();
  };
  addEventListener("pagehide", () => scorm.terminate());
  show();
</script></html>`;

/** A package whose manifest `simple-scorm-packager` wrote. */
export async function packScorm(version: keyof typeof elements): Promise<Uint8Array> {
  const manifest = new URL(`scorm-manifests/${version}.xml`, import.meta.url);
  return packageOf({
    "imsmanifest.xml": await readFile(manifest, "utf8"),
    "index.html": page(version),
    "wrapper.js": await readFile(wrapper, "utf8"),
  });
}
