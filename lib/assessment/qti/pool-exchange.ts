import type { QtiExport, QtiQuery } from "../../../schema/api/assessment/qti.ts";
import type { QuestionCreate } from "../../../schema/api/assessment/questions.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { ReadDb } from "../../platform/db/client.ts";
import { exportPool } from "../pool-exchange.ts";
import { zipQtiPackage } from "./package.ts";
import { writeQtiItem } from "./write-item.ts";

/** A QTI content package; 404 if the caller cannot read the pool. */
export async function exportQti(
  db: ReadDb,
  actor: Actor,
  poolId: number,
  { version, skip, limit }: QtiQuery,
): Promise<QtiExport> {
  const { title, questions, total } = await exportPool(db, actor, poolId, { skip, limit });
  const items = (questions as QuestionCreate[]).map((question, at) => {
    const identifier = `question-${skip + at + 1}`;
    const written = { ...question, identifier, title: `${title} ${skip + at + 1}` };
    return { name: `${identifier}.xml`, xml: writeQtiItem(written, version) };
  });
  return { version, package: Buffer.from(zipQtiPackage(items, version)).toString("base64"), total };
}
