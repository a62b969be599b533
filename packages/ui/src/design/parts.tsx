import { visibleText } from '@pit/protocol'
import { type ButtonHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { shortHex } from '../format.ts'

export type Tone = 'plain' | 'up' | 'down' | 'warn' | 'accent'

/** Marks figures that only the server knows. Confirmations take values of the client’s own and never these. */
export const ByServer = ({ what = 'Figures' }: { what?: string }) => (
  <p className="small faint by-server">{`${what}: according to the server.`}</p>
)

/** One figure that only the server knows. */
export const ServerFigure = ({ children }: { children: ReactNode }) => (
  <span title="According to the server. Not verified in this browser.">
    {children} <span className="small faint">(server)</span>
  </span>
)

/** A text of the server, quoted: it is shown, never followed. */
export const ServerText = ({ text }: { text: string }) => (
  <q className="server-words break">{visibleText(text, 400)}</q>
)

/** Page layout: title, lead and actions. */
export function Page(props: {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  /** Where its figures come from. */
  source?: 'server'
  children: ReactNode
}) {
  const { title } = props
  useEffect(() => {
    document.title = `${title} · Pit`
  }, [title])
  return (
    <div className="page">
      <header>
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {props.lead && <p className="lead">{props.lead}</p>}
          {props.source && <ByServer />}
        </div>
        {props.actions && <div className="row">{props.actions}</div>}
      </header>
      {props.children}
    </div>
  )
}

export function Card(props: {
  title: string
  actions?: ReactNode
  flush?: boolean
  /** Where its figures come from. */
  source?: 'server'
  children: ReactNode
}) {
  const id = useId()
  return (
    <section className="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{props.title}</h2>
        {props.actions && <div className="row">{props.actions}</div>}
      </header>
      <div className={props.flush ? 'flush' : 'body'}>{props.children}</div>
      {props.source && (
        <footer className="pad">
          <ByServer />
        </footer>
      )}
    </section>
  )
}

export function Stats({ children }: { children: ReactNode }) {
  return <dl className="stats">{children}</dl>
}

/** Placeholders for figures that are loading. */
export const StatsToCome = ({ labels }: { labels: readonly string[] }) => (
  <Stats>
    {labels.map((label) => (
      <Stat key={label} label={label} value="–" />
    ))}
  </Stats>
)

export function Stat(props: { label: string; value: ReactNode; note?: ReactNode; tone?: Tone }) {
  return (
    <div className="stat">
      <dt>{props.label}</dt>
      <dd className={props.tone && props.tone !== 'plain' ? `${props.tone}-text` : ''}>
        {props.value}
        <div className="note">{props.note ?? '\u00a0'}</div>
      </dd>
    </div>
  )
}

/** A list of labels and values. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  )
}

const Fact = ({ name, value }: { name: string; value: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
)

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  tight?: boolean
  busy?: boolean
}

export function Button({ kind = 'plain', tight = false, busy = false, ...rest }: ButtonProps) {
  const { children, disabled, ...others } = rest
  return (
    <button
      type="button"
      className={`button ${kind}${tight ? ' tight' : ''}`}
      aria-busy={busy}
      disabled={disabled === true || busy}
      {...others}
    >
      {busy ? 'Working…' : children}
    </button>
  )
}

/** The browser's native modal dialog: traps focus, Escape closes it. */
export function Dialog(props: { title: string; open: boolean; onClose(): void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    if (props.open && !dialog.open) dialog.showModal()
    if (!props.open && dialog.open) dialog.close()
  }, [props.open])
  return (
    <dialog ref={ref} aria-labelledby={id} onClose={props.onClose}>
      <header className="dialog-head">
        <h2 id={id}>{props.title}</h2>
        <Button kind="quiet" tight onClick={props.onClose}>
          Close
        </Button>
      </header>
      <div className="dialog-body">{props.open && props.children}</div>
    </dialog>
  )
}

export interface Tab {
  id: string
  label: string
}

/** Arrow keys move between tabs, as screen readers expect. */
export function Tabs(props: {
  label: string
  /** `segments`: for a few short labels. */
  look?: 'tabs' | 'segments'
  tabs: readonly Tab[]
  chosen: string
  onChoose(id: string): void
}) {
  const prefix = useId()
  const move = (by: number) => {
    const at = props.tabs.findIndex(({ id }) => id === props.chosen)
    const next = props.tabs[(at + by + props.tabs.length) % props.tabs.length]!
    props.onChoose(next.id)
    document.getElementById(`${prefix}${next.id}`)?.focus()
  }
  return (
    <div className={props.look ?? 'tabs'} role="tablist" aria-label={props.label}>
      {props.tabs.map(({ id, label }) => (
        <button
          key={id}
          id={`${prefix}${id}`}
          type="button"
          role="tab"
          aria-selected={id === props.chosen}
          tabIndex={id === props.chosen ? 0 : -1}
          onClick={() => props.onChoose(id)}
          onKeyDown={({ key }) => {
            if (key === 'ArrowRight') move(1)
            if (key === 'ArrowLeft') move(-1)
          }}
        >
          {label}
        </button>
      ))}
    </div>
  )
}

/** A shortened address or hash that copies in full. */
export function Copied({ text, shown = shortHex(text) }: { text: string; shown?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard?.writeText(text).catch(() => {})
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button type="button" className="button quiet tight mono copy" title={text} onClick={copy}>
      {shown !== 'Copy' && <span className="hidden-text">Copy </span>}
      {isCopied ? 'copied' : shown}
    </button>
  )
}

/** A command or text with a copy button. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <figure className="stack">
      <pre className="code">
        <code>{text}</code>
      </pre>
      <figcaption className="row between">
        <span className="small faint">{label}</span>
        <Copied text={text} shown="Copy" />
      </figcaption>
    </figure>
  )
}
