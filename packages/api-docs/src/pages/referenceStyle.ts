const DARK =
  'color-scheme:dark;--bg:#11151a;--fg:#e4e8ec;--dim:#98a2ad;--line:#2a313a;--soft:#191f26;--accent:#6cb0ff;--get:#4cc38a;--post:#f0a050'

/** Style of the reference and the guide: readable, works on a phone, follows the system's theme or the chosen one. */
export const REFERENCE_STYLE = `
:root{--bg:#fff;--fg:#1c2128;--dim:#5b6470;--line:#e2e6ea;--soft:#f5f7f9;--accent:#0b63c5;--get:#1a7f4b;--post:#9a4d00}
@media (prefers-color-scheme:dark){:root:not([data-theme="light"]){${DARK}}}
:root[data-theme="dark"]{${DARK}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
a{color:var(--accent);text-decoration:none}a:hover,main a{text-decoration:underline}
.page{display:grid;grid-template-columns:17rem minmax(0,1fr);max-width:84rem;margin:0 auto}
nav{position:sticky;top:0;align-self:start;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);font-size:.875rem}
nav h2{margin:1.1rem 0 .3rem;font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--dim)}
nav ul{margin:0;padding:0;list-style:none}nav li{padding:.12rem 0;overflow-wrap:anywhere}
main{padding:2rem 2rem 6rem;min-width:0}
h1{margin:0 0 .5rem;font-size:2rem}h2{margin:3rem 0 .5rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{margin:2.25rem 0 .25rem;font-size:1.05rem;overflow-wrap:anywhere}h4{margin:1.1rem 0 .3rem;font-size:.85rem;color:var(--dim)}
code,pre{font:.85em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{overflow-wrap:anywhere}
pre{margin:.4rem 0;padding:.75rem 1rem;overflow:auto;background:var(--soft);border:1px solid var(--line);border-radius:6px}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.875rem}
th,td{padding:.35rem .6rem .35rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:600}td:first-child{white-space:nowrap}
.method{font-weight:700;margin-right:.4rem}.GET{color:var(--get)}.POST{color:var(--post)}
.tag{display:inline-block;margin:.1rem .35rem .1rem 0;padding:.05rem .5rem;border:1px solid var(--line);border-radius:99px;font-size:.75rem;color:var(--dim)}
.ours{border-color:var(--accent);color:var(--accent)}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--dim);font-size:.875rem}
.tools{display:flex;gap:.5rem;align-items:center;margin:.5rem 0;color:var(--dim)}
button{font:inherit;font-size:.8rem;padding:.15rem .6rem;color:var(--fg);background:var(--soft);border:1px solid var(--line);border-radius:6px;cursor:pointer}
[hidden]{display:none!important}
input{width:100%;font:inherit;padding:.3rem .5rem;color:var(--fg);background:var(--bg);border:1px solid var(--dim);border-radius:6px}
.results{margin:.5rem 0;padding:0;list-style:none}.results p,.state{margin:.1rem 0 .5rem;font-size:.8rem;color:var(--dim);overflow-wrap:anywhere}
.code{position:relative}.copy{position:absolute;top:.35rem;right:.35rem;opacity:.75}.code:hover .copy,.copy:focus{opacity:1}
@media (max-width:52rem){.page{display:block}nav{position:static;height:auto;max-height:40vh;border-right:0;border-bottom:1px solid var(--line)}main{padding:1.25rem 1rem 4rem}td:first-child{white-space:normal}}
`
