import { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

/** What the reports of the platform say of the year 2026, to whoever administers it: what no erasure changes. */
export async function reportSums(world: World) {
  const make = makersOf(world);
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  const read = async (name: string) => {
    const { body } = await admin.get(`/admin/analytics/${name}?date_from=2026-01-01&date_to=2026-12-31`);
    // Not a sum: how many answers are stored at this moment.
    const { total_cached_nodes, ...sums } = body;
    return sums;
  };
  return {
    engagement: await read("engagement"),
    assessments: await read("assessments"),
    community: await read("community"),
    cache: await read("cache"),
    progress: await read("progress"),
  };
}
