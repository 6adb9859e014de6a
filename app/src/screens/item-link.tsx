import { allOf, dataOf } from "learning-platform-client";
import { useEffect } from "preact/hooks";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";

/** Resolves a link that names an item but no offering: the reader's own offering, or the editor. */
export function ItemLinkRedirectScreen({ item }: { item: string }) {
  const route = useQuery((signal) => routeOfItem(Number(item), signal), [item]);
  return <QueryBoundary of={route}>{(found) => <Lead to={found} />}</QueryBoundary>;
}

async function routeOfItem(item: number, signal: AbortSignal): Promise<string> {
  const { course_id } = await dataOf(
    apiClient.getContent({ params: { path: { content_id: item } }, signal }),
  );
  const query = { course_id, limit: 1000 };
  const mine = await allOf(apiClient.listMyEnrollments, { params: { query }, signal });
  const taken =
    mine.find(({ status }) => status === "ACTIVE") ?? mine.find(({ status }) => status === "COMPLETED");
  return taken
    ? screenHref("courses", course_id, taken.course_offering_id, item)
    : screenHref("authoring", course_id, "items", item);
}

/** Replaces the history entry, so going back returns to the link. */
function Lead({ to: address }: { to: string }) {
  useEffect(() => location.replace(address), [address]);
  return null;
}
