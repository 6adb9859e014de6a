/**
 * LaTeX commands that start with n, for which JSON would read `
 * ` as a line break. Before other letters `
 * ` is a line break, as in code. `\t`, `\r`, `\b` and `\f` are never needed in questions, so they are always
 * LaTeX.
 */
const commandsWithN = new Set(
  `nabla natural ncong ne nearrow neg neq newcommand newline nexists ngeq ngeqq ngeqslant ngtr ni nicefrac nleftarrow
  nLeftarrow nleftrightarrow nLeftrightarrow nleq nleqq nleqslant nless nmid nobreak nobreakspace noindent nolimits
  nonumber nonscript norm normalsize not notag notin notni nparallel nprec npreceq nrightarrow nRightarrow nshortmid
  nshortparallel nsim nsubset nsubseteq nsubseteqq nsucc nsucceq nsupset nsupseteq nsupseteqq ntriangleleft
  ntrianglelefteq ntriangleright ntrianglerighteq nu nvdash nvDash nVdash nVDash nwarrow`.split(/\s+/),
);

const escapes = new Set(["\\", '"', "/", "b", "f", "n", "r", "t", "'", "`"]);

/**
 * Doubles single backslashes of LaTeX in a model's JSON: before two or more letters, and those that start no
 * JSON escape.
 */
export function escapeLatexBackslashes(json: string): string {
  if (!json.includes("\\")) return json;
  const parts: string[] = [];
  let from = 0;
  for (let at = json.indexOf("\\"); at >= 0; at = json.indexOf("\\", at)) {
    if (isJsonEscape(json, at)) {
      at += 2;
      continue;
    }
    parts.push(json.slice(from, at), "\\\\");
    at += 1;
    from = at;
  }
  parts.push(json.slice(from));
  return parts.join("");
}

export function isJsonEscape(json: string, backslash: number): boolean {
  const first = json[backslash + 1] ?? "";
  if (first === "u" && /^[0-9A-Fa-f]{4}$/.test(json.slice(backslash + 2, backslash + 6))) return true;
  if (!escapes.has(first)) return false;
  if (!/[a-z]/.test(first) || !/[A-Za-z]/.test(json[backslash + 2] ?? "")) return true;
  return first === "n" && !commandsWithN.has(wordAt(json, backslash + 1));
}

const maxLatexCommandCharacters = 24;

const wordAt = (json: string, at: number): string =>
  /^[A-Za-z]*/.exec(json.slice(at, at + maxLatexCommandCharacters))?.[0] ?? "";
