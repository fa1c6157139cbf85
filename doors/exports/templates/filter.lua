-- What the writers of pandoc leave out: alternative texts in PDFs, which PDF/UA asks for, and citations of BibTeX in LaTeX.

local function write_latex(text)
  return pandoc.write(pandoc.Pandoc{pandoc.Plain{pandoc.Str(text)}}, 'latex')
end

local function quote(text)
  return '"' .. text:gsub('["\\]', '\\%0'):gsub('%s+', ' ') .. '"'
end

-- The writer knows this brace as an environment of two columns only; else it would be as high as one line.
local function write_cases(rows)
  rows = rows:find('&') and rows or rows:gsub('\\\\', '& \\\\') .. '& '
  return '\\begin{cases}' .. rows .. '\\end{cases}'
end

function Math(math)
  if FORMAT ~= 'typst' then return nil end
  math.text = math.text:gsub('\\left\\{ \\begin{array}{[lcr]+}(.-)\\end{array} \\right%.', write_cases)
  local written = pandoc.write(pandoc.Pandoc{pandoc.Plain{math}}, 'typst'):gsub('upright%("(%a)"%)', 'upright(%1)')
  return pandoc.RawInline('typst', '#[#set math.equation(alt: ' .. quote(math.text) .. ');' .. written .. ']')
end

function Image(image)
  if FORMAT ~= 'typst' then return nil end
  local alt = quote(pandoc.utils.stringify(image.caption))
  local drawn = 'image(' .. quote(image.src) .. ', alt: ' .. alt .. ', width: 100%, fit: "contain")'
  return pandoc.RawInline('typst', '#align(center, ' .. drawn .. ')')
end

function Link(link)
  local key = FORMAT == 'latex' and link.target:match('^#cite%-(.+)$')
  if not key then return nil end
  local place = pandoc.utils.stringify(link.content):match('^%[%d+, (.*)%]$')
  return pandoc.RawInline('latex', '\\cite' .. (place and '[{' .. write_latex(place) .. '}]' or '') .. '{' .. key .. '}')
end

function OrderedList(list)
  local blocks = pandoc.Blocks{pandoc.RawBlock('latex', '\\begin{thebibliography}{99}')}
  for _, item in ipairs(list.content) do
    local span = item[1] and item[1].content and item[1].content[1]
    local key = FORMAT == 'latex' and span and span.identifier and span.identifier:match('^cite%-(.+)$')
    if not key then return nil end
    blocks:insert(pandoc.Plain{pandoc.RawInline('latex', '\\bibitem{' .. key .. '}'), pandoc.Space(), pandoc.Span(span.content)})
    item:remove(1)
    blocks:extend(item)
  end
  blocks:insert(pandoc.RawBlock('latex', '\\end{thebibliography}'))
  return blocks
end
