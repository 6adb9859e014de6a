import type { Schemas } from "learning-platform-client";
import { useEffect, useRef, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { DateTimeField } from "../components/date-time-field.tsx";
import { t } from "../texts.ts";
import {
  isDateEmptyOrFormerProposal,
  type OfferingStartEndProposal,
  proposeStartEndFromTerm,
} from "./start-end-from-term.ts";

type RunDatesProps = {
  term: Schemas["Term"] | undefined;
  starts_at: string | null | undefined;
  ends_at: string | null | undefined;
};

type Said = "nothing" | "taken" | "other";

/** Start and end of a run. The chosen term proposes dates. Typed dates stay until the author accepts the proposal. */
export function OfferingStartEndFields({ term, starts_at, ends_at }: RunDatesProps) {
  const fields = useRef<HTMLDivElement>(null);
  const before = useRef<OfferingStartEndProposal | undefined>(undefined);
  const [said, say] = useState<Said>("nothing");
  const propose = (isAsked: boolean) => {
    const proposal = term && proposeStartEndFromTerm(term);
    const inputs = [...(fields.current?.querySelectorAll("input") ?? [])];
    for (const input of inputs) {
      const day = proposal?.[input.name as keyof OfferingStartEndProposal];
      const former = before.current?.[input.name as keyof OfferingStartEndProposal];
      if (day !== undefined && (isAsked || isDateEmptyOrFormerProposal(input.value, former))) put(input, day);
    }
    before.current = proposal;
    const isTaken = inputs.every(
      ({ name, value }) => value === proposal?.[name as keyof OfferingStartEndProposal],
    );
    say(proposal === undefined ? "nothing" : isTaken ? "taken" : "other");
  };
  // The term's id decides the proposal.
  useEffect(() => propose(false), [term?.id]);
  return (
    <>
      <div class="fields" ref={fields}>
        <DateTimeField name="starts_at" label={t("offering.from")} value={starts_at} />
        <DateTimeField name="ends_at" label={t("offering.to")} value={ends_at} />
      </div>
      <div class="row">
        <span class="quiet" role="status">
          {said === "taken" && t("offering.term.dates")}
        </span>
        {said === "other" && (
          <ButtonWithFocusFallback onClick={() => propose(true)}>
            {t("offering.term.take")}
          </ButtonWithFocusFallback>
        )}
      </div>
    </>
  );
}

/** Fires an input event, so the form counts as edited. */
function put(input: HTMLInputElement, value: string): void {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}
