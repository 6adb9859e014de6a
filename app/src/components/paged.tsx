import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { QueryBoundary, type QueryHookResult, useQuery } from "../query.tsx";
import { t } from "../texts.ts";
import { ButtonWithFocusFallback } from "./button.tsx";
import { EmptyMessage } from "./empty.tsx";
import { PagingButtonRow } from "./paging-buttons.tsx";

const pageSize = 25;

/** Part of a list. Requests one line more than a page, to know whether another page follows. */
export type SkipAndLimit = { skip: number; limit: number };

export type PagedQuery<Line> = {
  query: QueryHookResult<Line[]>;
  page: number;
  turnTo: (page: number) => void;
};

export function usePagedQuery<Line>(
  read: (part: SkipAndLimit, signal: AbortSignal) => Promise<Line[]>,
  keys: readonly unknown[],
): PagedQuery<Line> {
  const key = JSON.stringify(keys);
  const [turned, setTurned] = useState({ key, page: 0 });
  const page = turned.key === key ? turned.page : 0;
  const part = { skip: page * pageSize, limit: pageSize + 1 };
  const query = useQuery((signal) => read(part, signal), [key], page);
  return { query, page, turnTo: (wanted) => setTurned({ key, page: wanted }) };
}

type ListedProps<Line> = {
  of: PagedQuery<Line>;
  /** Empty state: explanation and next step. */
  empty: ComponentChildren;
  children: (lines: Line[]) => ComponentChildren;
};

export function PagedList<Line>({ of: { query, page, turnTo }, empty, children }: ListedProps<Line>) {
  return (
    <QueryBoundary of={query}>
      {(found) => (
        <>
          {found.length === 0 ? <EmptyMessage>{empty}</EmptyMessage> : children(found.slice(0, pageSize))}
          <PagingButtonRow of={found}>
            {page > 0 && (
              <ButtonWithFocusFallback onClick={() => turnTo(page - 1)}>
                {t("page.before")}
              </ButtonWithFocusFallback>
            )}
            {found.length > pageSize && (
              <ButtonWithFocusFallback onClick={() => turnTo(page + 1)}>
                {t("page.after")}
              </ButtonWithFocusFallback>
            )}
          </PagingButtonRow>
        </>
      )}
    </QueryBoundary>
  );
}
