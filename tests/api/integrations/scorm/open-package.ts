import { eq } from "drizzle-orm";
import { contentItems } from "../../../../schema/db/courses/content-items.ts";
import type { Client } from "../../../support/client.ts";
import { makersOf } from "../../../support/makers.ts";
import { type ManifestItem, manifest12, manifest2004, packageOf } from "../../../support/scorm.ts";
import { sendFile } from "../../../support/send-file.ts";
import type { World } from "../../../support/world.ts";

type Opened = {
  version?: "1.2" | "2004";
  items?: ManifestItem[];
  data?: Record<string, unknown>;
  files?: Record<string, string | Uint8Array>;
  /** Instead of items and files. */
  archive?: Uint8Array;
};

/** A course with a SCORM item, its learner and its teacher. */
export async function openPackage(
  world: World,
  { version = "1.2", items, data, files, archive }: Opened = {},
) {
  const make = makersOf(world);
  const { university, course, offering, module } = await make.topic();
  const learner = await make.person();
  await make.enrollment(learner.id, offering.id);
  const teacher = world.as(await make.holder("instructor", university.id));
  const listed = items ?? [{ href: "index.html", title: "Start" }];
  const manifest = version === "1.2" ? manifest12(listed) : manifest2004(listed);
  const made = { "imsmanifest.xml": manifest, "index.html": "<!doctype html><title>Start</title>", ...files };
  const uploaded = await uploadPackage(world, teacher, course.id, archive ?? made);
  const checked = await teacher.post("/scorm/packages", { file_id: uploaded });
  const item = await make.contentItem(module, university.id, { type: "scorm" });
  const { version: _, ...present } = item;
  const changed = await teacher.put(`/content/${present.id}`, {
    data_json: { file_id: uploaded, ...data },
  });
  const path = `/scorm/offerings/${offering.id}/items/${item.id}`;
  const asLearner = world.as(learner);
  return {
    ...{ make, university, course, offering, module, item, learner, teacher, path, checked, changed },
    file_id: uploaded,
    asLearner,
    launch: (body: object = {}, client: Client = asLearner) => client.post(`${path}/launches`, body),
    setData: (more: object) =>
      world.deps.db
        .update(contentItems)
        .set({ data_json: { file_id: uploaded, ...data, ...more } })
        .where(eq(contentItems.id, item.id)),
  };
}

/** Returns the file's id. */
export async function uploadPackage(
  world: World,
  client: Client,
  course_id: number,
  files: Record<string, string | Uint8Array> | Uint8Array,
): Promise<number> {
  const bytes = files instanceof Uint8Array ? files : packageOf(files);
  const named = { purpose: "ASSET", course_id, name: "package.zip", media_type: "application/zip" };
  const { body } = await sendFile(world.deps, client, named, bytes);
  return body.id;
}
