import type { ComponentChildren } from "preact";

type TableProps = {
  label: string;
  /** What stands above it; without it the label is for those alone who do not see the table. */
  caption?: ComponentChildren;
  columns: readonly string[];
  /** The rows. */
  children: ComponentChildren;
};

/** A table that scrolls where it is wider than the room for it, also by the keyboard. */
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
