// The script of /guide and /docs: theme, copy buttons, search. It is small, has no framework and creates elements
// only, because the pages allow it alone by its hash and require trusted types.
import { type GuideSection, searchGuide } from '@pit/api-docs/guide'

/** The dashboard's own place: one choice for both. */
const THEME = 'pit.theme'
const root = document.documentElement
const system = window.matchMedia('(prefers-color-scheme: dark)')

const storedTheme = (): string | null => {
  try {
    return window.localStorage.getItem(THEME)
  } catch {
    // Storage is disabled in this browser.
    return null
  }
}
const isDark = (): boolean =>
  root.dataset['theme'] === undefined ? system.matches : root.dataset['theme'] === 'dark'

// Before the first paint, so that the page does not flash.
const stored = storedTheme()
if (stored === 'light' || stored === 'dark') root.dataset['theme'] = stored

function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

function addTheme(button: HTMLButtonElement): void {
  const show = () => {
    button.textContent = isDark() ? 'Dark' : 'Light'
    button.ariaLabel = `${button.textContent} theme: switch to ${isDark() ? 'light' : 'dark'}`
  }
  button.addEventListener('click', () => {
    root.dataset['theme'] = isDark() ? 'light' : 'dark'
    try {
      window.localStorage.setItem(THEME, root.dataset['theme'])
    } catch {
      // The choice lasts for this page.
    }
    show()
  })
  system.addEventListener('change', show)
  show()
  button.hidden = false
}

function addCopy(block: HTMLPreElement): void {
  const button = element('button', { type: 'button', className: 'copy' }, 'Copy')
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText((block.textContent ?? '').trimEnd())
      button.textContent = 'Copied'
    } catch {
      // Without https or a permission there is no clipboard: select the text instead.
      window.getSelection()?.selectAllChildren(block)
      button.textContent = 'Selected: press Ctrl+C'
    }
    window.setTimeout(() => {
      button.textContent = 'Copy'
    }, 2_000)
  })
  const frame = element('div', { className: 'code' })
  block.replaceWith(frame)
  frame.append(block, button)
}

let index: Promise<GuideSection[]> | null = null
/** Loaded by the first search. A failure is not kept. */
function loadIndex(): Promise<GuideSection[]> {
  index ??= fetch('/guide/search.json').then((response) => {
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.json()
  })
  index.catch(() => {
    index = null
  })
  return index
}

function addSearch(form: HTMLFormElement): void {
  const input = form.querySelector('input')!
  const results = element('ol', { className: 'results', ariaLabel: 'Search results' })
  const state = element('p', { className: 'state', role: 'status' })
  form.append(state, results)

  async function search(): Promise<void> {
    const query = input.value.trim()
    if (query === '') {
      state.textContent = ''
      return results.replaceChildren()
    }
    state.textContent = 'Loading…'
    try {
      const sections = await loadIndex()
      if (query !== input.value.trim()) return
      const matches = searchGuide(sections, query)
      state.textContent = matches.length === 0 ? `Nothing found for “${query}”. Try fewer words.` : ''
      results.replaceChildren(
        ...matches.map(({ heading, page, path, excerpt }) =>
          element(
            'li',
            {},
            element('a', { href: path }, element('strong', {}, heading), ` · ${page}`),
            element('p', {}, excerpt),
          ),
        ),
      )
    } catch {
      state.textContent = 'The search index could not be loaded. Check the connection and type again.'
    }
  }

  const links = () => [...results.querySelectorAll('a')]
  input.addEventListener('input', () => void search())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    links()[0]?.click()
  })
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = ''
      input.focus()
      return void search()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const stops: HTMLElement[] = [input, ...links()]
    const at = stops.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)
    stops[Math.max(0, Math.min(at, stops.length - 1))]!.focus()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
  form.hidden = false
}

document.addEventListener('DOMContentLoaded', () => {
  document.querySelectorAll<HTMLButtonElement>('#theme').forEach(addTheme)
  document.querySelectorAll<HTMLFormElement>('#search').forEach(addSearch)
  document.querySelectorAll('pre').forEach(addCopy)
})
