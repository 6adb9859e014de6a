/* Unicode has superscripts and subscripts of few characters. Other text becomes a formula. */

const raised = pairs(
  "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ",
  "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ",
);
const lowered = pairs("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ");

function pairs(plain: string, written: string): ReadonlyMap<string, string> {
  const signs = [...written];
  return new Map([...plain].map((sign, at) => [sign, signs[at] ?? sign]));
}

/** `10⁸`, or `$…$` if a character has no superscript. */
export const superscript = (text: string): string => scripted(text, raised, "^");

/** `H₂O`, or `$…$` if a character has no subscript. */
export const subscript = (text: string): string => scripted(text, lowered, "_");

function scripted(text: string, signs: ReadonlyMap<string, string>, mark: "^" | "_"): string {
  const inner = text.trim();
  if (inner === "") return text;
  const [before, after] = text.split(inner, 2) as [string, string];
  const written = [...inner].map((sign) => signs.get(sign));
  const whole = written.every((sign) => sign !== undefined)
    ? written.join("")
    : `$${mark}{${latexOf(inner)}}$`;
  return before + whole + after;
}

/** Formulas within the text keep their LaTeX. */
const latexOf = (text: string): string =>
  text
    .split("$")
    .map((part, at) =>
      at % 2 === 1 ? part : part === "" ? "" : `\\text{${part.replaceAll(/[\\{}#%&_^~]/g, escaped)}}`,
    )
    .join("");

const escaped = (sign: string): string =>
  ({ "\\": "\\textbackslash{}", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}" })[sign] ?? `\\${sign}`;

/** A formula ends before a digit only if the digit belongs to it: `$5` is money. */
export const mergeDigitsIntoFormulas = (text: string): string =>
  text.replaceAll(/\$([_^]\{[^$\n]*\})\$(\d+)/g, "$$$1{$2}$$");

/** The reading in parentheses after its base. */
export const ruby = (base: string, reading: string): string => `${base}(${reading})`;
