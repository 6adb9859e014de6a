import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { ReadDb } from "../../platform/db/client.ts";
import { rowsOf } from "../../platform/db/query/rows.ts";
import { deploymentIdQuery, toolAvailableToUniversityCondition } from "../lti-tools/deployments.ts";
import { element, xmlOf } from "./xml.ts";

const Found = z.object({ id: z.int() });

/** The course's only tool on the address's host; undefined for none or several. */
export async function findToolIdByHost(
  db: ReadDb,
  courseId: number,
  url: string,
): Promise<number | undefined> {
  const prefix = (scheme: string): SQL =>
    sql`starts_with(tool.launch_url, ${`${scheme}://${new URL(url).host}/`})`;
  const [tool, ...others] = await rowsOf(
    db,
    Found,
    sql`
      select tool.id from lti_tools as tool
      join courses as course on ${toolAvailableToUniversityCondition(sql`course.university_id`)}
      where course.id = ${courseId} and (${prefix("https")} or ${prefix("http")})
        and exists (${deploymentIdQuery(sql`course.id`, sql`course.university_id`)})
      order by tool.id limit 2`,
  );
  return others.length === 0 ? tool?.id : undefined;
}

type ToolItem = { title: string; description: string | null; data_json: Record<string, unknown> };

/** A link of Common Cartridge to a tool of LTI. */
export function buildToolLinkXml(
  { title, description, data_json }: ToolItem,
  url: string,
  namespace: string,
): string {
  const custom = Object.entries((data_json["custom"] ?? {}) as Record<string, string>);
  return xmlOf(
    element(
      "cartridge_basiclti_link",
      {
        xmlns: namespace,
        "xmlns:blti": "http://www.imsglobal.org/xsd/imsbasiclti_v1p0",
        "xmlns:lticm": "http://www.imsglobal.org/xsd/imslticm_v1p0",
        "xmlns:lticp": "http://www.imsglobal.org/xsd/imslticp_v1p0",
      },
      element("blti:title", {}, title),
      element("blti:description", {}, description ?? ""),
      element(
        "blti:custom",
        {},
        ...custom.map(([name, value]) => element("lticm:property", { name }, value)),
      ),
      element(/^https:/i.test(url) ? "blti:secure_launch_url" : "blti:launch_url", {}, url),
      element("blti:vendor", {}, element("lticp:code", {}, new URL(url || "http://localhost").host)),
    ),
  );
}
