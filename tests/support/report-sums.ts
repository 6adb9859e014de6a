import { makersOf } from "./makers.ts";
import type { World } from "./world.ts";

/** The platform reports for 2026 as an administrator sees them. Erasures must not change them. */
export async function reportSums(world: World) {
  const make = makersOf(world);
  const admin = world.as(await make.holder("platform_admin", (await make.university()).id));
  const read = async (name: string) => {
    const { body } = await admin.get(`/admin/analytics/${name}?date_from=2026-01-01&date_to=2026-12-31`);
    // Not a sum: the number of answers stored now.
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
