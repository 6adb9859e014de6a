import { ButtonWithFocusFallback } from "../components/button.tsx";
import { t } from "../texts.ts";
import type { ActivityTree } from "./player-messages.ts";

type OutlineProps = {
  tree: ActivityTree;
  current: string;
  /** Items that the rules let the learner choose. */
  choices: readonly string[];
  completed: ReadonlySet<string>;
  onChoose: (item: string) => void;
};

/** The items of a sequenced package, in their folders. */
export const ScormOutline = ({ tree, ...props }: OutlineProps) => (
  <nav aria-label={t("scorm.items")}>
    <Items of={tree.children ?? []} {...props} />
  </nav>
);

type ItemsProps = Omit<OutlineProps, "tree"> & { of: readonly ActivityTree[] };

const Items = ({ of, ...props }: ItemsProps) => (
  <ol class="lines">
    {of
      .filter(({ isVisible }) => isVisible !== false)
      .map((one) => (
        <li key={one.id}>
          {one.children ? <span>{one.title}</span> : <Item item={one} {...props} />}
          {one.children && <Items of={one.children} {...props} />}
        </li>
      ))}
  </ol>
);

type ItemProps = Omit<OutlineProps, "tree"> & { item: ActivityTree };

const Item = ({ item: { id, title }, current, choices, completed, onChoose }: ItemProps) => (
  <>
    <ButtonWithFocusFallback
      class="quiet"
      aria-pressed={id === current}
      disabled={id === current || !choices.includes(id)}
      onClick={() => onChoose(id)}
    >
      {title}
    </ButtonWithFocusFallback>
    {completed.has(id) && <span class="badge completed">{t("done")}</span>}
  </>
);
