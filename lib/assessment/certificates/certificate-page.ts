import { createHash } from "node:crypto";
import type { CertificateVerification } from "../../../schema/api/assessment/certificates.ts";
import { escapeHtml } from "../../platform/text/escape-html.ts";
import {
  certificateDateLines,
  certificateStateTexts,
  formatCodeInFours,
  type LabeledText,
} from "./wording.ts";

const style = `
body { font: 1.1rem/1.5 system-ui, sans-serif; margin: 0; padding: 2rem 1rem; color: #1b1f24; background: #f3f4f6 }
main { max-width: 44rem; margin: auto; padding: 2.5rem; background: #fff; border: 1px solid #d0d7de; text-align: center }
h1 { font-size: 1.3rem; font-weight: 400; letter-spacing: .08em }
.name { font-size: 2rem; margin: 1rem 0; overflow-wrap: anywhere }
.course { font-size: 1.4rem; overflow-wrap: anywhere }
.state { padding: .6rem; border: 2px solid #1a7f37; color: #1a7f37; font-weight: 600 }
.state.broken { border-color: #b42318; color: #b42318 }
dl { display: grid; grid-template-columns: 1fr 1fr; gap: .2rem 1rem; text-align: left }
dt { text-align: right; color: #57606a } dd { margin: 0 }
code { overflow-wrap: anywhere }
@media print { body { background: #fff; padding: 0 } main { border: 0 } nav { display: none } }
`;

/** No scripts, loads nothing and cannot be framed, so other sites cannot imitate it. */
export const certificatePageCsp = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export type CertificatePageLinksAndTimeZone = { pdf: string; credential: string; timeZone: string };

/** The public verification page. All values are escaped. */
export function certificateVerificationPageHtml(
  printed: CertificateVerification,
  code: string,
  { timeZone, ...links }: CertificatePageLinksAndTimeZone,
): string {
  const { state, printed_name, course_title, university_name } = printed;
  const text = (value: string) => escapeHtml(value);
  const lines: LabeledText[] = [
    ...certificateDateLines(printed, timeZone),
    { label: "Code", value: formatCodeInFours(code) },
  ];
  const isValid = state === "VALID";
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>Certificate of ${text(printed_name)}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      <p>${text(university_name)}</p>
      <h1>Certificate of completion</h1>
      <p class="name" dir="auto">${text(printed_name)}</p>
      <p>has completed</p>
      <p class="course" dir="auto">${text(course_title)}</p>
      <p class="state${isValid ? "" : " broken"}" role="status">${text(certificateStateTexts[state])}</p>
      <dl>
        ${lines.map(({ label, value }) => `<dt>${text(label)}</dt><dd>${text(value)}</dd>`).join("\n        ")}
      </dl>
      <nav>
        <a href="${text(links.pdf)}">PDF</a>${isValid ? ` · <a href="${text(links.credential)}">Open Badge</a>` : ""}
      </nav>
    </main>
  </body>
</html>
`;
}
