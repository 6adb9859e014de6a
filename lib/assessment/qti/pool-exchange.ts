import type { QtiExport, QtiQuery } from "../../../schema/api/assessment/qti.ts";
import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import type { ReadDeps } from "../../deps.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import { pictureIdsIn } from "../picture-ids.ts";
import { exportPool } from "../pool-exchange.ts";
import { readPicturesForExport } from "./exported-pictures.ts";
import { zipQtiPackage } from "./package.ts";
import { buildQtiItemXml } from "./write-item.ts";

/** A QTI content package with the pictures of its questions; 404 if the caller cannot read the pool. */
export async function exportQti(
  parts: Pick<ReadDeps, "db" | "fileStore">,
  actor: Actor,
  poolId: number,
  { version, skip, limit }: QtiQuery,
): Promise<QtiExport> {
  const { title, questions, total } = await exportPool(parts.db, actor, poolId, { skip, limit });
  const { pathOf, files } = await readPicturesForExport(parts, poolId, questions);
  const items = (questions as QuestionCreate[]).map((question, at) => {
    const identifier = `question-${skip + at + 1}`;
    const written = { ...question, identifier, title: `${title} ${skip + at + 1}`, pathOf };
    const pictures = new Set(pictureIdsIn(question).map(pathOf));
    return {
      name: `${identifier}.xml`,
      xml: buildQtiItemXml(written, version),
      pictures: files.flatMap(({ name }) => (pictures.has(name) ? [name] : [])),
    };
  });
  return { version, package: Buffer.from(zipQtiPackage(items, version, files)).toString("base64"), total };
}
