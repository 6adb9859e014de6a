import { dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { PagingButtonRow } from "../components/paging-buttons.tsx";
import { formatDay } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

export function PromptsScreen() {
  const [page, setPage] = useState(1);
  const prompts = useQuery(
    (signal) => dataOf(apiClient.listPrompts({ params: { query: { page, page_size: 50 } }, signal })),
    [],
    page,
  );
  return (
    <>
      <ScreenHeading title={t("prompts")} />
      <QueryBoundary of={prompts}>
        {({ data, page, total, page_size }) => (
          <>
            {data.length === 0 && <EmptyMessage>{t("prompts.empty")}</EmptyMessage>}
            <ul class="lines">
              {data.map((one) => (
                <li key={one.name}>
                  <a href={screenHref("prompts", one.name)}>{one.name}</a>
                  <span class="row">
                    {one.labels.map((label) => (
                      <span key={label} class="badge">
                        {label}
                      </span>
                    ))}
                  </span>
                  <small>
                    {t("prompts.versions", { n: one.versions.length })} · {formatDay(one.last_updated_at)}
                  </small>
                </li>
              ))}
            </ul>
            <PagingButtonRow of={data}>
              {page > 1 && (
                <ButtonWithFocusFallback onClick={() => setPage(page - 1)}>
                  {t("page.before")}
                </ButtonWithFocusFallback>
              )}
              {page * page_size < total && (
                <ButtonWithFocusFallback onClick={() => setPage(page + 1)}>
                  {t("page.after")}
                </ButtonWithFocusFallback>
              )}
            </PagingButtonRow>
          </>
        )}
      </QueryBoundary>
    </>
  );
}
