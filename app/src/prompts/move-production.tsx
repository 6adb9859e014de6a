import type { Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { Dialog } from "../components/dialog.tsx";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";
import { PromptImpactFacts } from "./impact.tsx";

type MoveProductionProps = {
  name: string;
  version: number;
  impact: Schemas["PromptImpact"];
  move: () => Promise<unknown>;
  onClose: () => void;
};

/** Asks before all learners get a version without a rollout: shows the impact and wants the prompt's name. */
export function ConfirmMoveProductionDialog({ name, version, impact, move, onClose }: MoveProductionProps) {
  const [typed, type] = useState("");
  const confirmed = async () => {
    await move();
    onClose();
  };
  return (
    <Dialog label={t("prompt.production", { version })} onClose={onClose}>
      <p>
        {t("prompt.production.about")} <a href={screenHref("prompts", name, "rollouts")}>{t("rollouts")}</a>
      </p>
      <PromptImpactFacts impact={impact} />
      <label>
        {t("prompt.production.name", { name })}
        <input value={typed} autocomplete="off" onInput={(event) => type(event.currentTarget.value)} />
      </label>
      <p class="row">
        <ActionButton class="primary" run={confirmed} disabled={typed !== name}>
          {t("prompt.move")}
        </ActionButton>
      </p>
    </Dialog>
  );
}
