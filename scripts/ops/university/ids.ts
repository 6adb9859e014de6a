import type { JsonIds } from "./ownership.ts";

/** A table's ids in both deployments: a reserved range that keeps their order. */
export type Range = { least: number; greatest: number; offset: number };

/** Maps ids to this deployment's; null for rows that were not imported. */
export type Ids = {
  /** The new id of an imported row, or of the existing row used instead. */
  of(table: string, id: number): number | null;
};

/** Maps ids by range, and single rows that exist already. */
export function idsFrom(
  ranges: ReadonlyMap<string, Range>,
  single: ReadonlyMap<string, ReadonlyMap<number, number>>,
): Ids {
  return {
    of(table, id) {
      const own = single.get(table)?.get(id);
      if (own !== undefined) return own;
      const range = ranges.get(table);
      return range && id >= range.least && id <= range.greatest ? id + range.offset : null;
    },
  };
}

type Json = unknown;
type JsonObject = Record<string, Json>;

/** Tables of the id keys in facts; a grade's key refers to an attempt. */
const tableOfKey: Readonly<Record<string, string>> = {
  announcement_id: "announcements",
  cache_node_id: "cache_nodes",
  certificate_id: "certificates",
  content_item_id: "content_items",
  course_id: "courses",
  course_offering_id: "course_offerings",
  department_id: "departments",
  enrollment_id: "enrollments",
  grade_change_id: "grade_changes",
  identity_provider_id: "identity_providers",
  import_id: "imports",
  lti_platform_id: "lti_platforms",
  lti_deployment_id: "lti_deployments",
  lti_context_id: "lti_contexts",
  lti_tool_id: "lti_tools",
  invitation_id: "invitations",
  message_id: "chat_messages",
  module_id: "modules",
  prerequisite_course_id: "courses",
  question_id: "questions",
  question_pool_id: "question_pools",
  quiz_attempt_id: "quiz_attempts",
  submission_id: "lab_submissions",
  term_id: "terms",
  thread_id: "discussion_threads",
  university_id: "universities",
  user_id: "users",
};

export function jsonWithIds(value: Json, how: JsonIds, ids: Ids): Json {
  if (value === null || value === undefined) return value;
  return mappers[how](value, ids);
}

const mappers: Record<JsonIds, (value: Json, ids: Ids) => Json> = {
  content: contentWithIds,
  context: (value, ids) => {
    const { file_texts, ...context } = keysWithIds(value, ids) as JsonObject;
    return {
      ...context,
      data_json: contentWithIds(context["data_json"], ids),
      ...(file_texts !== undefined && {
        file_texts: Array.isArray(file_texts)
          ? file_texts.map((one) => contentWithIds(one, ids))
          : file_texts,
      }),
    };
  },
  groups: (value, ids) =>
    (value as JsonObject[]).map((group) => ({
      ...group,
      content_item_ids: (group["content_item_ids"] as number[]).flatMap(
        (id) => ids.of("content_items", id) ?? [],
      ),
    })),
  responses: (value, ids) =>
    Object.fromEntries(
      Object.entries(value as JsonObject).flatMap(([id, response]) => {
        const here = ids.of("questions", Number(id));
        return here === null ? [] : [[here, response]];
      }),
    ),
  keys: keysWithIds,
  messages: (value, ids) =>
    (value as JsonObject[]).map((message) => ({
      ...message,
      id: ids.of("chat_messages", message["id"] as number),
    })),
};

/** Maps numeric values of id keys. */
function keysWithIds(value: Json, ids: Ids): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, one]) => {
    const table = tableOfKey[key];
    return [key, table && typeof one === "number" ? ids.of(table, one) : one];
  });
  return Object.fromEntries(entries);
}

/** Tables of the id keys in content, as in lib/courses/content/references.ts. */
const tableOfContent = {
  asset_id: "assets",
  file_id: "files",
  question_pool_id: "question_pools",
  lti_tool_id: "lti_tools",
};

/** Lists in content that refer to rows too. */
const listsOfContent = ["blocks", "resources", "files"];

/** An item's content with mapped ids, including those in lists. */
function contentWithIds(value: Json, ids: Ids): Json {
  if (!isObject(value)) return value;
  const named = (one: Json): Json =>
    isObject(one)
      ? Object.fromEntries(
          Object.entries(one).map(([key, id]) => {
            const table = tableOfContent[key as keyof typeof tableOfContent];
            return [key, table && typeof id === "number" ? ids.of(table, id) : id];
          }),
        )
      : one;
  const entries = Object.entries(named(value) as JsonObject).map(([key, one]) => {
    if (key === "line_item" && isObject(one)) return [key, lineItemWithIds(one, ids)];
    return [key, listsOfContent.includes(key) && Array.isArray(one) ? one.map(named) : one];
  });
  return Object.fromEntries(entries);
}

/** The offering of a tool's column, and its resource link: the ids of an offering and an item, or 0. */
function lineItemWithIds({ offering_id, resource_link_id, ...others }: JsonObject, ids: Ids): JsonObject {
  const [, offering, item] = /^(\d+)-(\d+)$/.exec(String(resource_link_id)) ?? [];
  const link = [ids.of("course_offerings", Number(offering)), ids.of("content_items", Number(item)) ?? 0];
  return {
    ...others,
    offering_id: typeof offering_id === "number" ? ids.of("course_offerings", offering_id) : offering_id,
    ...(item !== undefined && { resource_link_id: link.join("-") }),
  };
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Tables of the ids in a notification's cause, in order. */
const tablesOfCause: Readonly<Record<string, readonly string[]>> = {
  announcement: ["announcements"],
  final: ["course_offerings"],
  grade: ["course_offerings", "content_items"],
  grades: ["course_offerings"],
  item: ["content_items"],
  outdated: ["course_offerings"],
  place: ["course_offerings"],
  post: ["discussion_posts"],
};

/** The cause with mapped ids, so a notification is not sent again. */
export function causeWithIds(cause: string, ids: Ids): string {
  const [kind = "", ...rest] = cause.split(":");
  const tables = tablesOfCause[kind] ?? [];
  const words = rest.map((word, at) => {
    const table = tables[at];
    return table && /^\d+$/.test(word) ? String(ids.of(table, Number(word)) ?? 0) : word;
  });
  return [kind, ...words].join(":");
}
