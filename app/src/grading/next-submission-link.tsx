import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect } from "preact/hooks";
import { useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type NextWorkProps = { submission: Schemas["Submission"]; route: { course: string; offering: string } };

/** Keyboard shortcut. Ignored in text fields. */
const key = "n";

/** Links to the next ungraded submission without a claim, of the same item first. */
export function NextUngradedSubmissionLink({ submission: one, route }: NextWorkProps) {
  const next = useQuery(
    async (signal) => {
      const path = { offering_id: one.course_offering_id };
      const waiting = { status: "submitted" as const, claimed: false, marked: false, limit: 2 };
      const read = (query: typeof waiting & { content_item_id?: number }) =>
        dataOf(apiClient.listSubmissions({ params: { path, query }, signal }));
      const [ofItem, ofAny] = await Promise.all([
        read({ ...waiting, content_item_id: one.content_item_id }),
        read(waiting),
      ]);
      return [...ofItem, ...ofAny].find(({ id }) => id !== one.id)?.id;
    },
    [one.id, one.status],
  );
  const href =
    next.value === undefined
      ? undefined
      : screenHref("teaching", route.course, route.offering, "submissions", next.value);
  useEffect(() => {
    if (!href) return;
    const follow = (event: KeyboardEvent) => {
      if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isWriting(event)) return;
      location.hash = href;
    };
    addEventListener("keydown", follow);
    return () => removeEventListener("keydown", follow);
  }, [href]);
  if (!href) return null;
  return (
    <a class="button" href={href} aria-keyshortcuts={key}>
      {t("grader.next")} <kbd>{key.toUpperCase()}</kbd>
    </a>
  );
}

const isWriting = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable]") !== null;
