/** Search, version and theme, above the contents of each page. Search and theme appear once their script runs. */
export const guideTools = (version: string, changes: string): string =>
  `<div class="tools"><a href="${changes}" title="Changes by version">${toHtml(version)}</a>` +
  '<button type="button" id="theme" hidden></button></div>' +
  '<form id="search" role="search" hidden><input type="search" placeholder="Search  ( / )" ' +
  'aria-label="Search the guide and the API" autocomplete="off" spellcheck="false"></form>'

export const scriptTag = (script: string): string => (script === '' ? '' : `<script>${script}</script>`)

export const toHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
