import { packageOf } from "./scorm.ts";

export type SequencedItem = {
  id: string;
  title?: string;
  /** Content of `imsss:sequencing`. */
  sequencing?: string;
  /** Elements of the item after its children. */
  extra?: string;
  items?: SequencedItem[];
};

export const controlMode = (attributes: string): string => `<imsss:controlMode ${attributes}/>`;

/** A rule with one condition. */
export const ruleOf = (
  kind: "preConditionRule" | "exitConditionRule" | "postConditionRule",
  action: string,
  condition: string,
): string => `<imsss:sequencingRules><imsss:${kind}><imsss:ruleConditions><imsss:ruleCondition ${condition}/></imsss:ruleConditions>
  <imsss:ruleAction action="${action}"/></imsss:${kind}></imsss:sequencingRules>`;

const sequencingOf = (content: string | undefined): string =>
  content === undefined ? "" : `<imsss:sequencing>${content}</imsss:sequencing>`;

const itemOf = ({ id, title = id, sequencing, extra = "", items }: SequencedItem): string =>
  `<item identifier="${id}"${items ? "" : ` identifierref="res_${id}"`}><title>${title}</title>${(items ?? []).map(itemOf).join("")}${extra}${sequencingOf(sequencing)}</item>`;

const leavesOf = (items: readonly SequencedItem[]): SequencedItem[] =>
  items.flatMap((item) => (item.items ? leavesOf(item.items) : [item]));

/** A manifest of the fourth edition with a tree of items, each with a page of its name. */
export const sequencedManifest = (
  items: SequencedItem[],
  sequencing?: string,
  collection = "",
): string => `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"
  xmlns:adlseq="http://www.adlnet.org/xsd/adlseq_v1p3" xmlns:adlnav="http://www.adlnet.org/xsd/adlnav_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
<metadata><schema>ADL SCORM</schema><schemaversion>2004 4th Edition</schemaversion></metadata>
<organizations default="org"><organization identifier="org"><title>Course</title>${items.map(itemOf).join("")}${sequencingOf(sequencing)}</organization></organizations>
<resources>${leavesOf(items)
  .map(
    ({ id }) =>
      `<resource identifier="res_${id}" type="webcontent" adlcp:scormType="sco" href="${id}.html"><file href="${id}.html"/></resource>`,
  )
  .join(
    "",
  )}</resources>${collection && `<imsss:sequencingCollection>${collection}</imsss:sequencingCollection>`}</manifest>`;

export const pagesOf = (items: readonly SequencedItem[]): string[] =>
  leavesOf(items).map(({ id }) => `${id}.html`);

/** A SCO that reports a score and requests what follows. */
const page = (id: string): string => `<!doctype html><html lang="en"><title>${id}</title>
<h1>${id}</h1><p id="entry"></p><p id="bookmark"></p>
<button type="button" onclick="mark()">Bookmark</button>
<button type="button" onclick="pass(0.9)">Pass with 90</button>
<button type="button" onclick="pass(0.9, 'continue')">Pass and continue</button>
<script>
  const api = parent.API_1484_11;
  api.Initialize("");
  const show = () => {
    document.getElementById("entry").textContent = "Entry: " + (api.GetValue("cmi.entry") || "none");
    document.getElementById("bookmark").textContent = "Bookmark: " + (api.GetValue("cmi.location") || "none");
  };
  const mark = () => { api.SetValue("cmi.location", "page 2"); api.Commit(""); show(); };
  const pass = (score, request) => {
    api.SetValue("cmi.score.scaled", String(score));
    api.SetValue("cmi.success_status", "passed");
    api.SetValue("cmi.completion_status", "completed");
    if (request) api.SetValue("adl.nav.request", request);
    if (request) api.Terminate(""); else api.Commit("");
  };
  addEventListener("pagehide", () => api.Terminate(""));
  show();
</script></html>`;

export const packSequenced = (items: SequencedItem[], sequencing?: string): Uint8Array =>
  packageOf({
    "imsmanifest.xml": sequencedManifest(items, sequencing),
    ...Object.fromEntries(leavesOf(items).map(({ id }) => [`${id}.html`, page(id)])),
  });
