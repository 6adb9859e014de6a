import { expect, it } from "vitest";
import { allOf, createPlatformClient, eachOf, pagesOf } from "../../../client/client.ts";

/** A service that lists two entries a page. The cursor is the number of earlier entries. */
function service(all: readonly object[], wrap: (page: object[]) => object = (page) => page) {
  const asked: string[] = [];
  const client = createPlatformClient({
    baseUrl: "https://api.example.edu",
    async fetch({ url }) {
      const { searchParams, search } = new URL(url);
      asked.push(search);
      if (searchParams.get("q") === "nothing")
        return Response.json(
          { detail: "Not enough permissions" },
          { status: 403, headers: { "X-Error-Code": "forbidden" } },
        );
      const begin = Number(searchParams.get("after") ?? searchParams.get("skip") ?? 0);
      searchParams.delete("skip");
      searchParams.set("after", String(begin + 2));
      const Link = `<https://api.example.edu/base/api/v1/list?${searchParams}>; rel="next"`;
      return Response.json(wrap(all.slice(begin, begin + 2)), {
        headers: begin + 2 < all.length ? { Link } : {},
      });
    },
  });
  return { client, asked };
}

const courses = [1, 2, 3, 4, 5].map((id) => ({ id }));

it("a list is read to its end, each page when it is needed", async () => {
  const { client, asked } = service(courses);
  const ids: number[] = [];
  for await (const { id } of eachOf(client.listCourses, { params: { query: { q: "x", skip: 1 } } })) {
    ids.push(id);
    expect(asked).toHaveLength(Math.ceil(ids.length / 2));
  }
  expect(ids).toEqual([2, 3, 4, 5]);
  expect(asked).toEqual(["?q=x&skip=1", "?q=x&after=3"]);
});

it("so is the one list of an answer", async () => {
  const { client } = service(courses, (data) => ({ data, total: 5 }));
  const found: number[] = [];
  for await (const { id } of eachOf(client.listMyFeatureRequests)) found.push(id);
  expect(found).toEqual([1, 2, 3, 4, 5]);
});

it("throws the service's errors", async () => {
  const { client } = service(courses);
  const refused = eachOf(client.listCourses, { params: { query: { q: "nothing" } } }).next();
  await expect(refused).rejects.toMatchObject({
    status: 403,
    code: "forbidden",
    detail: "Not enough permissions",
  });
});

it("loads a whole list, or its responses one by one", async () => {
  const { client } = service(courses, (data) => ({ data, total: 5 }));
  expect(await allOf(client.listMyFeatureRequests)).toEqual(courses);
  const pages: { data: object[]; total: number }[] = [];
  for await (const page of pagesOf(client.listMyFeatureRequests)) pages.push(page);
  expect(pages.map(({ data, total }) => [data.length, total])).toEqual([
    [2, 5],
    [2, 5],
    [1, 5],
  ]);
  await expect(allOf(client.listCourses, { params: { query: { q: "nothing" } } })).rejects.toMatchObject({
    status: 403,
  });
});
