import type { Schemas } from "learning-platform-client";
import type { ComponentChildren } from "preact";
import { formatDay } from "../format.ts";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { t } from "../texts.ts";

type Request = Schemas["FeatureRequest"];

export const featureRequestStatuses: Request["status"][] = [
  "pending",
  "under_review",
  "planned",
  "completed",
  "declined",
];

type RequestProps = { request: Request; by?: string; children?: ComponentChildren };

export const FeatureRequestCard = ({ request, by, children }: RequestProps) => (
  <article class="card" aria-labelledby={`request-${request.id}`}>
    <div class="line-head">
      <h2 id={`request-${request.id}`}>{request.title}</h2>
      <span class={`badge ${request.status}`}>{t(`request.${request.status}`)}</span>
      <span class="quiet">{[by, formatDay(request.created_at)].filter(Boolean).join(" · ")}</span>
    </div>
    <MarkdownWithFormulas source={request.description} inLines />
    {request.admin_notes && (
      <blockquote>
        <small>{t("requests.answer")}</small>
        <MarkdownWithFormulas source={request.admin_notes} inLines />
      </blockquote>
    )}
    {children}
  </article>
);
