import { Action } from "./action.tsx";

type DangerZoneProps = {
  label: string;
  /** What is asked before. */
  sure: string;
  /** Deletes the thing, and goes where it is not needed. */
  end: () => Promise<unknown>;
};

/** The last card of a thing's settings, in which it is deleted. */
export const DangerZone = ({ label, sure, end }: DangerZoneProps) => (
  <section class="card">
    <Action class="quiet" run={async () => confirm(sure) && end()}>
      {label}
    </Action>
  </section>
);
