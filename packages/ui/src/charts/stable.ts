import { useEffect, useRef, useState } from 'react'

/** The same object while its content is the same, so that a chart is not redrawn for nothing. */
export function useStable<T>(value: T): T {
  const text = JSON.stringify(value)
  const [stable, setStable] = useState({ text, value })
  if (stable.text === text) return stable.value
  setStable({ text, value })
  return value
}

/** A function that stays the same and calls the newest one. */
export function useStableFunction<Args extends unknown[], Result>(call: (...args: Args) => Result) {
  const newest = useRef(call)
  useEffect(() => {
    newest.current = call
  })
  const [stable] = useState(
    () =>
      (...args: Args): Result =>
        newest.current(...args),
  )
  return stable
}
