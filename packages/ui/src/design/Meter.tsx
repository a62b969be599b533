/** How much of a limit is used, as text and as a bar. */
export function Meter(props: { label: string; used: number | null; max: number; text: string }) {
  const { label, used, max, text } = props
  const isNear = used !== null && max > 0 && used / max >= 0.9
  return (
    <div className="limit">
      <span className="row between">
        <span>{label}</span>
        <span className="num">{text}</span>
      </span>
      <progress
        className={isNear ? 'near' : ''}
        max={max > 0 ? max : 1}
        value={Math.min(used ?? 0, max)}
        aria-label={`${label}: ${text}`}
      />
    </div>
  )
}
