import { Action } from "./action.tsx";

type EndCardProps = {
  label: string;
  /** What is asked before. */
  sure: string;
  /** Deletes the thing, and goes where it is not needed. */
  end: () => Promise<unknown>;
};

/** The last card of a thing's settings, in which it is deleted. */
export const EndCard = ({ label, sure, end }: EndCardProps) => (
  <section class="card">
    <Action class="quiet" run={async () => confirm(sure) && end()}>
      {label}
    </Action>
  </section>
);
