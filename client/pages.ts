import { PlatformError } from "./errors.ts";

type Answer = { data?: unknown; error?: unknown; response: Response };

// biome-ignore lint/suspicious/noExplicitAny: each operation has its own parameters
type Operation = (init?: any) => Promise<Answer>;

type Init = { params?: { query?: Record<string, unknown> } };

type DataOf<List extends Operation> = NonNullable<Awaited<ReturnType<List>>["data"]>;

type EntryOf<Data> = Data extends readonly (infer Entry)[]
  ? Entry
  : { [Name in keyof Data]: Data[Name] extends readonly (infer Entry)[] ? Entry : never }[keyof Data];

/**
 * Iterates over a list, loading pages as needed: `for await (const course of eachOf(client.listCourses, {
 * params: { query: { limit: 100 } } }))`. Concurrent inserts and deletes neither repeat nor skip entries.
 * Throws a `PlatformError` on an error response.
 */
export async function* eachOf<List extends Operation>(
  list: List,
  ...init: Parameters<List>
): AsyncGenerator<EntryOf<DataOf<List>>> {
  for await (const page of pagesOf(list, ...init)) yield* entriesOf(page) as EntryOf<DataOf<List>>[];
}

/** The whole list as an array: `await allOf(client.listSubjects)`. */
export async function allOf<List extends Operation>(
  list: List,
  ...init: Parameters<List>
): Promise<EntryOf<DataOf<List>>[]> {
  const all: EntryOf<DataOf<List>>[] = [];
  for await (const entry of eachOf(list, ...init)) all.push(entry);
  return all;
}

/** Iterates over the pages, for fields next to the entries, such as `total`. */
export async function* pagesOf<List extends Operation>(
  list: List,
  ...[init]: Parameters<List>
): AsyncGenerator<DataOf<List>> {
  let query: Record<string, unknown> | undefined = (init as Init | undefined)?.params?.query ?? {};
  while (query) {
    const { data, error, response } = await list({ ...init, params: { ...init?.params, query } });
    if (!response.ok) throw new PlatformError(response, error);
    yield data as DataOf<List>;
    query = nextQuery(query, response);
  }
}

const entriesOf = (data: unknown): unknown[] =>
  Array.isArray(data) ? data : (Object.values(Object(data)).find(Array.isArray) ?? []);

function nextQuery(
  { skip: _, after: __, ...query }: Record<string, unknown>,
  response: Response,
): Record<string, unknown> | undefined {
  const address = /<([^<>]*)>; *rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
  if (address === undefined) return undefined;
  const next = new URL(address, response.url || "http://localhost").searchParams;
  const after = next.get("after");
  const skip = next.get("skip");
  return { ...query, ...(after !== null && { after }), ...(skip !== null && { skip: Number(skip) }) };
}
