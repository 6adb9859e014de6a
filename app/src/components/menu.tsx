import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

type MenuProps = {
  label: string;
  icon: ComponentChildren;
  class?: string;
  children: ComponentChildren;
};

/** A button that shows a list of actions. A choice, Escape and a press elsewhere close it. */
export function DropdownMenu({ label, icon, class: kind = "", children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const close = () => menu.current?.removeAttribute("open");
  const focusLabel = () => menu.current?.querySelector("summary")?.focus();
  useEffect(() => {
    const leave = ({ target }: Event) => target instanceof Node && !menu.current?.contains(target) && close();
    document.addEventListener("pointerdown", leave);
    return () => document.removeEventListener("pointerdown", leave);
  }, []);
  return (
    <details
      ref={menu}
      class={`menu ${kind}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !menu.current?.open) return;
        event.stopPropagation();
        close();
        focusLabel();
      }}
    >
      <summary aria-label={label} title={label}>
        {icon}
      </summary>
      {/* A chosen action may open a dialog, which returns the focus to the label. */}
      <div
        class="menu-list"
        onClickCapture={() => {
          focusLabel();
          close();
        }}
      >
        {children}
      </div>
    </details>
  );
}
