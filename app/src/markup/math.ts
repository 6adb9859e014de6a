import katex from "katex";

/**
 * A formula as MathML, which needs no inline styles (blocked by the CSP) and works with screen readers.
 * Invalid LaTeX stays as written.
 */
export const renderFormulaAsMathMl = (latex: string, isDisplay: boolean): string =>
  katex
    .renderToString(latex, {
      output: "mathml",
      displayMode: isDisplay,
      throwOnError: false,
      trust: false,
      strict: "ignore",
      // In em. Prevents a formula from covering the content around it.
      maxSize: 50,
      // The library's version uses a shadow, which needs an inline style.
      macros: { "\\pmb": "\\boldsymbol" },
    })
    // The color of invalid LaTeX.
    .replace(/ style="color:[^"]*"/, "");
