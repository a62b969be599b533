/** The part of autocannon that the benches use; it ships no types. */
declare module 'autocannon' {
  interface Options {
    url: string
    headers?: Record<string, string>
    connections?: number
    /** Seconds. */
    duration?: number
  }
  interface Result {
    requests: { total: number }
    /** Seconds. */
    duration: number
    errors: number
    non2xx: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
