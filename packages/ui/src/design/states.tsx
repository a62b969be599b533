import { isRefusal } from '@pit/client'
import { visibleText } from '@pit/protocol'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button, ServerText, type Tone } from './parts.tsx'

export function Notice({
  tone = 'plain',
  title,
  children,
}: {
  tone?: Tone
  title?: ReactNode
  children?: ReactNode
}) {
  return (
    <div className={`notice ${tone}`}>
      {title && <strong>{title}</strong>}
      {children && <div>{children}</div>}
    </div>
  )
}

export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <strong>{title}</strong>
    {children}
  </div>
)

/** Placeholder while loading. */
export function Loading({ lines = 6 }: { lines?: number }) {
  const rows = Array.from({ length: lines }, (_, i) => `line ${i}`)
  return (
    <div className="skeleton" role="status">
      <span className="hidden-text">Loading</span>
      {rows.map((row) => (
        <span key={row} aria-hidden="true" />
      ))}
    </div>
  )
}

/** A refusal: what happened, what to do, and its code for a search. */
export function Failure({ error, onAgain }: { error: unknown; onAgain?: (() => void) | undefined }) {
  const { title, code, message, hint, rule, said } = described(error)
  return (
    <div className="notice down" role="alert">
      {rule ? (
        <>
          <strong>{`Not signed: check ${rule} failed`}</strong>
          <div>{message}</div>
        </>
      ) : (
        <strong>{title ?? message}</strong>
      )}
      {title && <div>{message}</div>}
      {hint && <div>{hint}</div>}
      {said && (
        <div className="faint">
          The server said: <ServerText text={said} />
        </div>
      )}
      {code && <div className="faint small mono">{code}</div>}
      {onAgain && (
        <div>
          <Button tight onClick={onAgain}>
            Try again
          </Button>
        </div>
      )}
    </div>
  )
}

interface Described {
  /** In front of a message that is not ours. */
  title?: string
  code?: string
  message: string
  hint: string | undefined
  rule: string | undefined
  /** The server's words, quoted. */
  said?: string | null
}

const PROGRAM_FAULT = 'This part of the page failed. Reload it; if it fails again, report it with the steps.'

/** Errors of the program have no words for its users. */
const isFault = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError

export function described(error: unknown): Described {
  if (isRefusal(error))
    return {
      message: error.message,
      hint: error.hint,
      rule: error.rule,
      said: error.server?.message ?? null,
      ...(error.rule === undefined && { code: error.code }),
    }
  const { code, message } = error as { code?: unknown; message?: unknown }
  // Wallet errors have a numeric code and their own message.
  const rest = { hint: undefined, rule: undefined }
  if (isFault(error)) return { title: 'Something went wrong', message: PROGRAM_FAULT, ...rest }
  const text = visibleText(typeof message === 'string' ? message : String(error), 400)
  if (typeof code !== 'number') return { message: text, ...rest }
  const title = code === 4001 ? 'You declined in your wallet' : `Your wallet refused (${code})`
  return { title, message: text, ...rest }
}

/** Shows loaded data, a placeholder or the error. */
export function Loaded<T>(props: {
  of: UseQueryResult<T>
  lines?: number
  /** Placeholder of the final size, so that the layout does not shift. */
  meanwhile?: ReactNode
  children(value: T): ReactNode
}) {
  const { data, error, refetch } = props.of
  if (data === undefined) {
    if (error) return <Failure error={error} onAgain={() => void refetch()} />
    if (props.meanwhile === undefined) return <Loading lines={props.lines ?? 6} />
    return (
      <div className="meanwhile" aria-busy="true">
        {props.meanwhile}
      </div>
    )
  }
  return (
    <>
      {error && (
        <Notice tone="warn" title="Could not refresh; showing older data">
          {described(error).message}
        </Notice>
      )}
      {props.children(data)}
    </>
  )
}
