import { ActionButton } from "./action.tsx";

type DangerZoneProps = {
  label: string;
  sure: string;
  /** Deletes the entity and navigates away. */
  end: () => Promise<unknown>;
};

/** The last card of a settings screen: deletion. */
export const DangerZone = ({ label, sure, end }: DangerZoneProps) => (
  <section class="card">
    <ActionButton class="quiet" run={async () => confirm(sure) && end()}>
      {label}
    </ActionButton>
  </section>
);
