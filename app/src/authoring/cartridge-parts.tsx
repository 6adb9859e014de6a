import type { Schemas } from "learning-platform-client";
import { PagedList, type PagedQuery } from "../components/paged.tsx";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { Table } from "../components/table.tsx";
import { type TextKey, t } from "../texts.ts";

type Part = Schemas["CartridgePart"];

/** The parts of a cartridge, what each is imported as, and why a part is skipped. */
export const CartridgeImportResultsTable = ({ parts }: { parts: PagedQuery<Part> }) => (
  <PagedList of={parts} empty={t("cartridge.empty")}>
    {(found) => (
      <Table
        label={t("cartridge.parts")}
        columns={[t("cartridge.part"), t("cartridge.kind"), t("cartridge.becomes"), t("cartridge.left.out")]}
      >
        {found.map((part) => (
          <tr key={part.number}>
            <th scope="row">
              {part.title} {part.read_as && part.read_as !== "utf-8" && <small>{part.read_as}</small>}
            </th>
            <td>{t(`cartridge.kind.${part.kind}` as TextKey)}</td>
            <td>{becomes(part)}</td>
            <td>
              {part.reason && (
                <span class={part.outcome === "REFUSED" ? "fault" : "quiet"}>
                  <TranslatedRejectionReason code={part.code} said={part.reason} />
                </span>
              )}
              <LeftOut part={part} />
            </td>
          </tr>
        ))}
      </Table>
    )}
  </PagedList>
);

/** The content that a part lost on import, translated by code or as received. */
const LeftOut = ({ part: { left_out, left_out_codes } }: { part: Part }) =>
  left_out.length === 0 ? null : (
    <ul>
      {left_out.map((line, at) => (
        <li key={at}>
          <TranslatedRejectionReason code={left_out_codes[at] ?? null} said={line} />
        </li>
      ))}
    </ul>
  );

function becomes({ outcome, became }: Part): string {
  if (outcome === "REFUSED" || outcome === "IGNORED") return t(`cartridge.outcome.${outcome}` as TextKey);
  return became.map((name) => t(`cartridge.became.${name}` as TextKey)).join(", ");
}
