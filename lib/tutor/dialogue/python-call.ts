const callees = ["ask", "dict", "key", "answerkey", "answer_key"];
const modules = ["", "functions.", "default_api."];
const openings = modules.flatMap((module) => callees.map((name) => `${module}${name}(`));

const call =
  /^(?:functions\.|default_api\.)?(?:ask|dict|key|answer_?key)\(\s{0,50}[a-z_]\w{0,40}\s{0,4}=(?!=)/i;
const begun = /^[a-z._]{1,30}\(\s{0,50}(?:[a-z_]\w{0,40}\s{0,4}=?)?$/i;

/** Whether a call with named arguments begins here, as Python writes it; "more" if the text may become one. */
export function isPythonCall(text: string, isEnd: boolean): boolean | "more" {
  if (call.test(text)) return true;
  const said = text.toLowerCase();
  const mayBegin =
    openings.some((opening) => opening.startsWith(said)) ||
    (begun.test(text) && openings.some((opening) => said.startsWith(opening)));
  return mayBegin && !isEnd ? "more" : false;
}

/** The call's arguments as an object: `ask(key={…}, id="q1")` becomes `{"key": {…}, "id": "q1"}`. */
export function pythonCallToJson(text: string): string {
  const from = text.indexOf("(");
  let json = "";
  let quote = "";
  let depth = 0;
  for (let at = from + 1; at < text.length; at += 1) {
    const one = text[at] as string;
    const [named = "", name = ""] =
      quote === "" && depth === 0
        ? (/^([A-Za-z_]\w{0,40})\s{0,4}=(?!=)/.exec(text.slice(at, at + 50)) ?? [])
        : [];
    if (one === "\\" && quote !== "") {
      json += text.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (named !== "" && /[\s,]$|^$/.test(json)) {
      json += `"${name}": `;
      at += named.length - 1;
      continue;
    }
    if (quote === "" && (one === '"' || one === "'")) quote = one;
    else if (one === quote) quote = "";
    else if (quote === "" && "{[(".includes(one)) depth += 1;
    else if (quote === "" && "}])".includes(one)) depth -= 1;
    json += depth < 0 ? "" : one;
  }
  return `{${json}}`;
}
