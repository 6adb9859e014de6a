import { useState } from "preact/hooks";
import { apiUrl } from "../service.ts";
import { useCurrentUser } from "../session.tsx";
import {
  initiallyOpenModuleIds,
  moduleIdsOnPathTo,
  moduleOfItem,
  type OutlineModule,
} from "./collapse-and-search.ts";

type Chosen = Record<string, boolean>;

/** Empty if storage is unavailable. */
function read(key: string): Chosen {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    return kept && typeof kept === "object" ? (kept as Chosen) : {};
  } catch {
    return {};
  }
}

function write(key: string, chosen: Chosen): void {
  try {
    localStorage.setItem(key, JSON.stringify(chosen));
  } catch {
    // The choice is not remembered.
  }
}

export type OpenModulesState = {
  isOpen(id: number): boolean;
  toggle(id: number): void;
  keepAll(): void;
};

/** Open modules of a course: as left on this device, else the default. Those around the last topic are always open. */
export function useOpenModules(
  course: number,
  modules: readonly OutlineModule[],
  from?: number,
): OpenModulesState {
  const { profile } = useCurrentUser();
  const key = `open modules of ${apiUrl("")} ${profile.id} ${course}`;
  const [chosen, setChosen] = useState<Chosen>(() => {
    const source = from === undefined ? undefined : moduleOfItem(modules, from);
    const around = source ? moduleIdsOnPathTo(modules, source.id).map((id) => [id, true]) : [];
    return { ...read(key), ...Object.fromEntries(around) };
  });
  const [first] = useState(() => initiallyOpenModuleIds(modules, from));
  const isOpen = (id: number) => chosen[id] ?? first.has(id);
  const choose = (next: Chosen) => {
    setChosen(next);
    write(key, next);
  };
  return {
    isOpen,
    toggle: (id) => choose({ ...chosen, [id]: !isOpen(id) }),
    keepAll: () => write(key, Object.fromEntries(modules.map(({ id }) => [id, isOpen(id)]))),
  };
}
