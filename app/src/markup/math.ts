import katex from "katex";

/**
 * A formula as MathML, which browsers draw and screen readers read by themselves, without styles that the page's policy
 * would refuse. What is no formula stays as it was written.
 */
export const mathMarkup = (latex: string, isDisplay: boolean): string =>
  katex.renderToString(latex, {
    output: "mathml",
    displayMode: isDisplay,
    throwOnError: false,
    trust: false,
    strict: "ignore",
    // In ems: nothing is drawn over what stands around it.
    maxSize: 50,
    // The library's own would be a shadow, which is a style.
    macros: { "\\pmb": "\\boldsymbol" },
  });
