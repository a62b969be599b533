import type { ReactNode } from 'react'
import { Empty } from './states.tsx'

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** Right-aligned, for numbers. */
  right?: boolean
}

interface TableProps<Row> {
  /** For screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string | number
  empty?: string
}

/** Number of columns that fit on a phone. */
const NARROW = 3

/** A table that becomes a list of cards on narrow screens; the first column is the row's heading. */
export function Table<Row>({ caption, columns, rows, keyOf, empty = 'No entries yet.' }: TableProps<Row>) {
  if (rows.length === 0) return <Empty title={empty} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="table-wrap" aria-label={caption} tabIndex={0}>
      <table className={columns.length > NARROW ? 'stacks' : ''}>
        <caption className="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ head, right }) => (
              <th key={head} scope="col" className={right ? 'right' : ''}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, cell, right }, i) => {
                const className = right ? 'right num' : ''
                return i === 0 ? (
                  <th key={head} scope="row" data-label={head} className={className}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={head} data-label={head} className={className}>
                    {cell(row)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
