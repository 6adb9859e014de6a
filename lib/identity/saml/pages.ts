import { escapeHtml } from "../../platform/text/escape-html.ts";
import { type HtmlPageWithPolicy, htmlPage } from "../../platform/text/html-page.ts";
import type { SamlRefusal } from "./refusals.ts";

type Facts = { label: string; requestId: string | undefined; again?: string | undefined };

/** With advice for the provider's operator. `again` restarts the sign-in. */
export function samlRefusalPage(
  refusal: SamlRefusal,
  { label, requestId, again }: Facts,
): HtmlPageWithPolicy {
  const { message, reason, detail, forOperators } = refusal;
  const link = again ? `<p><a class="button" href="${escapeHtml(again)}">Begin again</a></p>` : "";
  const found = detail ? `<p>Found: ${escapeHtml(detail)}.</p>` : "";
  return htmlPage({
    title: "This sign-in did not succeed",
    body: `<h1>This sign-in did not succeed</h1>
      <p role="alert">${escapeHtml(message)}</p>
      ${link}
      <h2>For the operators of ${escapeHtml(label)}</h2>
      <p>${escapeHtml(forOperators)}</p>
      ${found}
      <p class="request">Reason ${escapeHtml(reason)}, request ${escapeHtml(requestId ?? "")}</p>`,
  });
}
