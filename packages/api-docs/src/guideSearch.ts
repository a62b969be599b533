/** A section of the guide, or a route or an error of the API reference, as the search index has it. */
export interface GuideSection {
  /** Title of its page. */
  page: string
  heading: string
  /** Path on the server, with the heading's anchor. */
  path: string
  text: string
}

interface GuideMatch extends GuideSection {
  /** Text around the first match. */
  excerpt: string
}

const EXCERPT_LENGTH = 140
/** A section that repeats a word is not better than any number of others. */
const MAX_COUNTED = 5

/** Sections that contain every word of the query, best first. */
export function searchGuide(sections: readonly GuideSection[], query: string, max = 12): GuideMatch[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, max)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, words) }))
}

function scoreOf({ page, heading, text }: GuideSection, words: readonly string[]): number {
  const [inPage, inHeading, inText] = [page.toLowerCase(), heading.toLowerCase(), text.toLowerCase()]
  const scores = words.map((word) => {
    const counted = Math.min(inText.split(word).length - 1, MAX_COUNTED)
    return (inHeading.includes(word) ? 20 : 0) + (inPage.includes(word) ? 8 : 0) + counted
  })
  if (scores.includes(0)) return 0
  const isWholeHeading = inHeading === words.join(' ')
  return scores.reduce((sum, score) => sum + score, 0) + (isWholeHeading ? 50 : 0)
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const at = places.length === 0 ? 0 : Math.min(...places)
  const from = at < EXCERPT_LENGTH / 2 ? 0 : text.indexOf(' ', at - EXCERPT_LENGTH / 2) + 1
  const part = text.slice(from, from + EXCERPT_LENGTH)
  return `${from > 0 ? '… ' : ''}${part}${from + EXCERPT_LENGTH < text.length ? ' …' : ''}`
}
