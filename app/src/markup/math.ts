import katex from "katex";

/**
 * A formula as MathML, which browsers draw and screen readers read by themselves: no fonts, and no styles that the
 * page's policy would refuse. What is no formula stays as it was written.
 */
export const mathMarkup = (latex: string, isDisplay: boolean): string =>
  katex.renderToString(latex, {
    output: "mathml",
    displayMode: isDisplay,
    throwOnError: false,
    trust: false,
  });
