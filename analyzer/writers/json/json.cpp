// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/writers/json/json.hpp"

#include <ostream>

#include "analyzer/results/balance.hpp"
#include "analyzer/results/check_result.hpp"
#include "analyzer/results/grids.hpp"
#include "analyzer/results/prediction.hpp"
#include "analyzer/results/report_document.hpp"
#include "analyzer/results/scaling.hpp"
#include "analyzer/writers/json/object_writer.hpp"

namespace waitdiag {

template <typename Result>
void write_json(const Result& result, std::ostream& out) {
  {
    JsonText text(out, JsonText::Layout::Lines);
    ObjectWriter writer(text, Document<Result>::kRounded);
    writer("schema", std::string(Document<Result>::kSchema));
    fields(writer, result);
  }
  out << '\n';
}

template void write_json(const BalanceReport&, std::ostream&);
template void write_json(const CheckResult&, std::ostream&);
template void write_json(const Comparison&, std::ostream&);
template void write_json(const GridReport&, std::ostream&);
template void write_json(const PredictionReport&, std::ostream&);
template void write_json(const Report&, std::ostream&);
template void write_json(const ScalingReport&, std::ostream&);

}  // namespace waitdiag
