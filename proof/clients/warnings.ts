type Known = { says: RegExp; because: string };

/** Tool warnings that are unrelated to the API document, with the reason. */
export const acceptedToolWarnings: readonly Known[] = [
  {
    says: /OpenAPI 3\.1 support is still in beta/,
    because: "OpenAPI Generator says it of every document of this version",
  },
  {
    says: /Failed to get the schema name: null/,
    because: "OpenAPI Generator says it of any document whose schemas are not all references",
  },
  {
    says: /Codegen property is null \(e\.g\. map\/dict of undefined type\)\. Default to typing\.Any/,
    because:
      "What content holds may be an object of any keys (types of content that administrators add): Dict[str, Any]",
  },
  {
    says: /error \(reserved word\) cannot be used as (parameter|model) name/,
    because: "OpenID Connect calls a parameter of its answer so, and the client for Go calls it error_",
  },
  {
    says: /cannot be used as file ?name/i,
    because:
      "Go keeps files that end in _test and _arm: of CloudConnectionTest and RolloutArm they are named otherwise",
  },
];

const warns = /\bwarn(ing)?s?\b|[a-z]Warning\b/i;

/** Distinct lines with warnings, except for known ones, in order. */
export function findUnacceptedWarnings(
  said: string,
  known: readonly Known[] = acceptedToolWarnings,
): string[] {
  const lines = said.split("\n").map((line) => line.trim());
  return [...new Set(lines.filter((line) => warns.test(line)))].filter(
    (line) => !known.some(({ says }) => says.test(line)),
  );
}
