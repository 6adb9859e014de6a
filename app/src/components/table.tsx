import type { ComponentChildren } from "preact";

type TableProps = {
  label: string;
  /** Content above the table. Without it the label is for screen readers only. */
  caption?: ComponentChildren;
  columns: readonly string[];
  children: ComponentChildren;
};

/** A table that scrolls horizontally if needed, also by keyboard. */
export const Table = ({ label, caption, columns, children }: TableProps) => (
  <section class="table" tabIndex={0} aria-label={label}>
    <table>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
