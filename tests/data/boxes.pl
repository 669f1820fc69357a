# Boxes of a flame graph on stdin: title, place, size, colour and text, one a line, sorted.
local $/; my $svg = <STDIN>; my @rows;
while ($svg =~ m{<title>([^<]*)</title>\s*<rect x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)" fill="([^"]*)"[^>]*>\s*<text\s+x="([^"]*)" y="([^"]*)"\s*>([^<]*)</text>}g) {
    my $row = join "\t", $1, $2, $3, $4, $5, $6, $7, $8, $9;
    $row =~ s/&#39;/'/g; $row =~ s/&quot;/"/g;
    push @rows, $row;
}
print map { "$_\n" } sort @rows;
